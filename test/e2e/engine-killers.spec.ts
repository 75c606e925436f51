import { itBuriesKillers } from '../support/killers.js';

jest.setTimeout(120_000);

describe('a job that kills its worker', () => {
  itBuriesKillers(
    'is buried as poison, and takes none of its 1,000 neighbours with it: those it crashed run one at a time',
    [30],
  );
});
