import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** Options of all Jest projects. Node loads the test files and strips their types. */
const base = {
  rootDir: root,
  testEnvironment: 'node',
  testRunner: '<rootDir>/libs/tooling/src/jest/native-runner.ts',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/.local/'],
}

/**
 * Test files of the project `alone`. No other test file runs at the same time, because these files
 * start fourteen processes under load, and no request may fail.
 */
const alone = ['<rootDir>/test-e2e/faults/rolling.test.ts']

/** Options of the end-to-end tests. These tests run the services from a bundle. */
const endToEnd = {
  ...base,
  globalSetup: '<rootDir>/test-e2e/shared-world-setup.ts',
  globalTeardown: '<rootDir>/test-e2e/shared-world-teardown.ts',
}

/** Jest setup file of property tests, which exist in unit and integration tests. */
const propertySeed = ['<rootDir>/libs/tooling/src/jest/property-seed.ts']

// The directory of a test file determines the kind of its tests.
export default {
  rootDir: root,
  watchman: false,
  // Jest timeout of a test: three waits of `eventually`. A busy machine may need most of one wait.
  testTimeout: 300_000,
  // Jest: Node keeps the modules of each test file, and these modules refer to the systems of the
  // test file. A large heap slows the tests down, so Jest replaces a worker with a larger heap.
  workerIdleMemoryLimit: '400MB',
  testSequencer: '<rootDir>/libs/tooling/src/jest/test-sequencer.js',
  reporters: ['default', '<rootDir>/libs/tooling/src/jest/run-reporter.js'],
  projects: [
    {
      ...base,
      displayName: 'unit',
      setupFilesAfterEnv: propertySeed,
      testMatch: [
        '<rootDir>/libs/*/src/**/*.test.ts',
        '<rootDir>/services/*/src/**/*.test.ts',
        '<rootDir>/services/*/web/src/**/*.test.ts',
        '<rootDir>/deploy/*/src/**/*.test.ts',
        '<rootDir>/test-e2e/image/src/**/*.test.ts',
      ],
    },
    {
      ...base,
      displayName: 'integration',
      globalSetup: '<rootDir>/libs/tooling/src/jest/bundle-setup.ts',
      globalTeardown: '<rootDir>/libs/tooling/src/jest/bundle-teardown.ts',
      setupFilesAfterEnv: propertySeed,
      testMatch: ['<rootDir>/libs/*/test/**/*.test.ts', '<rootDir>/services/*/test/**/*.test.ts'],
    },
    {
      ...endToEnd,
      displayName: 'e2e',
      testPathIgnorePatterns: ['/node_modules/', ...alone],
      testMatch: [
        '<rootDir>/test-e2e/admin/**/*.test.ts',
        '<rootDir>/test-e2e/cli/**/*.test.ts',
        '<rootDir>/test-e2e/client/**/*.test.ts',
        '<rootDir>/test-e2e/docs-site/**/*.test.ts',
        '<rootDir>/test-e2e/stories/**/*.test.ts',
        '<rootDir>/test-e2e/faults/**/*.test.ts',
        '<rootDir>/test-e2e/docs/**/*.test.ts',
      ],
    },
    { ...endToEnd, displayName: 'alone', testMatch: alone },
    {
      // Jest project that test-e2e/image/main.ts starts. That program builds the image.
      ...base,
      displayName: 'image',
      testMatch: ['<rootDir>/test-e2e/image/test/**/*.test.ts'],
    },
  ],
}
