"""Code that built-in and third-party plugins share: one package or module for each subject.

``matching`` compares tool calls and texts; ``trace`` finds actions and errors in a run; ``digests`` shortens steps to
texts; ``logs`` reads logs; ``judged_criteria`` is for criteria with a judge; ``http_judge`` is for judge backends;
``render`` makes texts for people; ``eval_sets`` edits eval-set files; ``openai`` reads messages of chat models. The
core does not import this package.
"""
