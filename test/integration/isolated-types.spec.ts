import { IsString } from 'class-validator';
import { JobHandler, WorkerBootError, defineJob, type Handles } from '@antrean/jobs';
import { startJobsApp } from '../support/jobs-app.js';

class Payload {
  @IsString()
  name!: string;
}

const InThread = defineJob('thread.run', { payload: Payload, isolation: 'thread' });
const InProcess = defineJob('process.run', { payload: Payload });

@JobHandler(InThread)
class InThreadHandler implements Handles<typeof InThread> {
  handle(): void {
    // Found, not run.
  }
}

const file = new URL('file:///app/thread-run.module.js');

describe('a worker with a type that runs in threads', () => {
  it('starts without a handler of its own for it, and counts it among its types', async () => {
    const jobs = await startJobsApp([InThread, InProcess], [], { isolated: { 'thread.run': file }, types: ['thread.run'] });
    await jobs.close();
  });

  it('does not start without its file, unless it does not run the type', async () => {
    await expect(startJobsApp([InThread], [], { types: ['thread.run'] })).rejects.toThrow(
      new WorkerBootError([
        `"thread.run" says isolation: 'thread', but forWorker({ isolated }) names no file for it. ` +
          `Add 'thread.run': new URL('./its.module.js', import.meta.url).`,
      ]),
    );
    const jobs = await startJobsApp([InThread], [], { types: ['!thread.run'] });
    await jobs.close();
  });

  it('does not start with a file for another type, or with a handler among its own providers', async () => {
    const isolated = { 'thread.run': file, 'process.run': file };
    await expect(startJobsApp([InThread, InProcess], [InThreadHandler], { isolated })).rejects.toThrow(
      /its handler InThreadHandler is among the worker's own providers[^]*a file for "process\.run", whose definition does not say/,
    );
  });
});
