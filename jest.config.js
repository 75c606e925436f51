/** One project a kind of test: `unit` is pure, `integration` speaks to a real Redis, `model` compares it with
 *  a model of the engine, `e2e` drives the built processes. */
const shared = {
  // One name for all, so that what one has compiled is there for the others: each reads most of the same modules.
  id: 'antrean',
  testEnvironment: 'node',
  transform: {
    '^.+\\.(t|j)s$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2023',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs|ulid|@seriousme|woff2-encoder)/)'],
  moduleNameMapper: {
    '^@antrean/jobs/testing$': '<rootDir>/libs/jobs/src/testing.ts',
    '^@antrean/(platform|catalog|jobs|shop|health)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

export default {
  // Much of the time is spent waiting, for processes and for leases: three suites at once keep two cores busy.
  maxWorkers: 3,
  // For what hangs; how fast anything is, no test says.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/test/support/slow-first.mjs',
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,test/bench,test/chaos}/**/*.spec.ts'] },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.spec.ts'] },
    { ...shared, displayName: 'model', testMatch: ['<rootDir>/test/model/**/*.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
  ],
};
