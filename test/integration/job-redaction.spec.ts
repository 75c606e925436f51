import { IsString } from 'class-validator';
import { Sensitive, defineJob, type Job } from '@antrean/jobs';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

class SignIn {
  @IsString()
  user!: string;

  @Sensitive()
  @IsString()
  password!: string;
}

const SignInJob = defineJob('sign.in', { payload: SignIn });
const payload = { user: 'budi', password: 'hunter2' };

describe('sensitive fields of a job', () => {
  let jobs: JobsApp;
  let jobId: string;

  beforeAll(async () => {
    jobs = await startJobsApp([SignInJob], [], { types: [] });
    ({ jobId } = await jobs.queue.enqueue(SignInJob, payload));
  });

  afterAll(async () => {
    await jobs.close();
  });

  it('are hidden from who reads the job', async () => {
    const job = await jobs.status.get(jobId);
    expect(job?.payload).toEqual({ user: 'budi', password: '[redacted]' });
    expect(JSON.stringify(job)).not.toContain('hunter2');
  });

  it('are shown to who asks for them', async () => {
    const job: Job | undefined = await jobs.status.get(jobId, { reveal: true });
    expect(job?.payload).toEqual(payload);
  });
});
