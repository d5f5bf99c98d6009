"""What plugins share, the built-ins and everybody else's: one package for each subject.

``matching`` compares trajectories and words; ``trace`` tells what an agent did; ``digests`` shortens steps for a
reader; ``logs`` reads somebody's JSON; ``judged_criteria`` is what criteria share that ask a judge; ``http_judge``
what judge backends share; ``render`` writes for a person; ``openai`` reads messages in OpenAI's form.
No room of the core imports it.
"""
