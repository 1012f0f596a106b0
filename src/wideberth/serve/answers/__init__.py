"""What a worker process does: read the objects of a request, ask the model, and write the
answer.
"""
