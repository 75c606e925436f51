// entry of the worker
