/**
 * Who may import whom, as ARCHITECTURE.md draws it:
 * definition ← store ← services | runtime | maintenance | events | telemetry ← jobs.module;
 * everybody else goes through a library's door (its index.ts, or testing.ts in tests).
 */
const DOOR = '^libs/[^/]+/src/index\\.ts$';
const TEST_DOOR = '^libs/[^/]+/src/testing\\.ts$';
const SPEC = '\\.spec\\.ts$';
const OURS = '^(apps|libs)/';
const JOBS = '^libs/jobs/src/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A circle has no first file to read. Move what both need to where neither is above the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'platform-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^libs/platform/' },
      to: { path: OURS, pathNot: '^libs/platform/' },
    },
    {
      name: 'platform-loads-no-framework',
      comment: "The thread that beats for a worker loads all of it: Nest and class-validator took half of that thread's start.",
      severity: 'error',
      from: { path: '^libs/platform/', pathNot: SPEC },
      to: { path: 'node_modules/(@nestjs|rxjs|class-)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'definition-imports-nothing-of-ours',
      comment: 'The definition room is pure: catalog, api and worker all read it.',
      severity: 'error',
      from: { path: `${JOBS}definition/` },
      to: { path: OURS, pathNot: `${JOBS}definition/` },
    },
    {
      name: 'store-imports-definition-only',
      severity: 'error',
      from: { path: `${JOBS}store/` },
      to: { path: JOBS, pathNot: `${JOBS}(definition|store)/` },
    },
    {
      name: 'rooms-do-not-import-the-module-or-a-door',
      comment: 'jobs.module.ts puts the rooms together; index.ts and testing.ts show them to others.',
      severity: 'error',
      from: { path: `${JOBS}[^/]+/` },
      to: { path: `${JOBS}[^/]+\\.ts$` },
    },
    {
      name: 's3-is-loaded-when-it-is-asked-for',
      comment: 'Its client takes time and memory: open-storage.ts imports it for a URL that needs it.',
      severity: 'error',
      from: { path: OURS, pathNot: '^libs/platform/src/storage/s3/' },
      to: {
        path: ['^libs/platform/src/storage/s3/', 'node_modules/@aws-sdk/'],
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'libraries-meet-at-the-door',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', DOOR] },
    },
    {
      name: 'catalog-imports-the-jobs-door-only',
      comment: 'A catalog file holds a payload class and a policy, no logic.',
      severity: 'error',
      from: { path: '^libs/catalog/' },
      to: { path: OURS, pathNot: ['^libs/catalog/', `${JOBS}index\\.ts$`] },
    },
    {
      name: 'shop-imports-the-doors-of-platform-and-jobs-only',
      severity: 'error',
      from: { path: '^libs/shop/' },
      to: { path: OURS, pathNot: ['^libs/shop/', '^libs/(platform|jobs)/src/index\\.ts$'] },
    },
    {
      name: 'health-is-for-apps',
      comment: 'It looks at what the other libraries provide, and brings Terminus with it.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/health/' },
      to: { path: '^libs/health/' },
    },
    {
      name: 'libraries-do-not-import-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-use-doors-only',
      severity: 'error',
      from: { path: '^apps/', pathNot: SPEC },
      to: { path: '^libs/', pathNot: DOOR },
    },
    {
      name: 'specs-of-apps-use-doors-only',
      severity: 'error',
      from: { path: `^apps/.+${SPEC}` },
      to: { path: '^libs/', pathNot: [DOOR, TEST_DOOR] },
    },
    {
      name: 'apps-do-not-import-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'product-code-does-not-import-tests',
      severity: 'error',
      from: { path: OURS, pathNot: SPEC },
      to: { path: ['^test/', SPEC] },
    },
    {
      name: 'product-code-needs-no-dev-dependency',
      severity: 'error',
      from: { path: OURS, pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
