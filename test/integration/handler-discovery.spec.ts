import { Injectable, Scope } from '@nestjs/common';
import { IsString } from 'class-validator';
import { JobHandler, WorkerBootError, defineJob, type Handles } from '@antrean/jobs';
import { startJobsApp } from '../support/jobs-app.js';

class Payload {
  @IsString()
  name!: string;
}

const One = defineJob('one.run', { payload: Payload });
const Two = defineJob('two.run', { payload: Payload });

@JobHandler(One)
class OneHandler implements Handles<typeof One> {
  handle(): void {
    // Found, not run.
  }
}

@JobHandler(One)
class OneAgainHandler extends OneHandler {}

@Injectable({ scope: Scope.REQUEST })
class Request {}

@JobHandler(Two)
class RequestScopedHandler implements Handles<typeof Two> {
  constructor(readonly request: Request) {}

  handle(): void {
    // Never built.
  }
}

/** The message with which a worker refuses to start. */
async function refusal(...args: Parameters<typeof startJobsApp>): Promise<string> {
  try {
    const jobs = await startJobsApp(...args);
    await jobs.close();
  } catch (error) {
    if (error instanceof WorkerBootError) return error.message;
    throw error;
  }
  throw new Error('The worker started.');
}

describe('a worker at its start', () => {
  it('refuses two handlers of one type, naming both', async () => {
    expect(await refusal([One], [OneHandler, OneAgainHandler])).toMatch(
      /"one\.run" has two handlers: OneHandler and OneAgainHandler/,
    );
  });

  it('refuses a handler that is not a singleton', async () => {
    expect(await refusal([Two], [RequestScopedHandler, Request])).toMatch(
      /RequestScopedHandler of "two\.run" is not a singleton/,
    );
  });

  it('refuses a handler whose definition it was not given', async () => {
    expect(await refusal([Two], [OneHandler])).toMatch(
      /definition of "one\.run" that OneHandler handles is not among those given/,
    );
  });

  it('refuses WORKER_TYPES that name a type without a handler', async () => {
    expect(await refusal([One, Two], [OneHandler], { types: ['one.*', 'two.run'] })).toMatch(
      /WORKER_TYPES names "two\.run", for which no provider is decorated with @JobHandler\. There are handlers for: one\.run\./,
    );
  });

  it('refuses WORKER_TYPES that select none of its handlers, naming these', async () => {
    expect(await refusal([One, Two], [OneHandler], { types: ['oen.*', '!two.run'] })).toMatch(
      /WORKER_TYPES "oen\.\*,!two\.run" selects no job type\. There are handlers for: one\.run\./,
    );
  });

  it('starts without work when that is what the exclusions say', async () => {
    const jobs = await startJobsApp([One], [OneHandler], { types: ['!*'] });
    await jobs.close();
  });

  it('refuses two definitions of one type', async () => {
    await expect(startJobsApp([One, defineJob('one.run', { payload: Payload })], [])).rejects.toThrow(
      '"one.run" is defined twice',
    );
  });

  it('starts with a glob that some handlers match and others do not', async () => {
    const jobs = await startJobsApp([One, Two], [OneHandler], { types: ['o*', '!two.run'] });
    await jobs.close();
  });
});
