import { UnfinishedUploads } from './unfinished-uploads.js';

describe('the sweep of unfinished uploads', () => {
  it('ends where a server says that there are more and not where', async () => {
    let asked = 0;
    const send = async () => {
      asked += 1;
      if (asked === 3) throw new Error('It does not end.');
      return Promise.resolve({ IsTruncated: true, Uploads: [] });
    };
    // Nothing else of the client is used.
    await new UnfinishedUploads({ send } as never, 'files', 'some/').sweepNowAndThen(new AbortController().signal);
    expect(asked).toBe(1);
  });
});
