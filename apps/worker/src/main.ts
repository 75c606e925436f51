import './steady-heap.js';

// Only now: what an import statement names is loaded before anything here runs.
await import('./start-worker.js');
