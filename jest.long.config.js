import config from './jest.config.js';

const { transform, transformIgnorePatterns, moduleNameMapper } = config.projects[0];

/** `npm run test:long`: what takes minutes and gigabytes. One suite at a time, as they measure. */
export default {
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns,
  moduleNameMapper,
  maxWorkers: 1,
  testMatch: ['<rootDir>/test/long/**/*.spec.ts'],
};
