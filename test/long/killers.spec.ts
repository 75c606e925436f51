import { itBuriesKillers } from '../support/killers.js';

jest.setTimeout(180_000);

describe('three jobs that kill their worker', () => {
  itBuriesKillers(
    'are buried as poison, and take none of their 1,000 neighbours with them: those they crashed run one at a time',
    [30, 400, 401],
  );
});
