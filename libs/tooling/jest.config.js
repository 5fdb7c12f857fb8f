import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** What every kind of test shares: native ES modules, types stripped as Node strips them. */
const base = {
  rootDir: root,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['<rootDir>/libs/tooling/strip-types.js', {}] },
  modulePathIgnorePatterns: ['<rootDir>/.local/'],
}

// The folder decides the kind of a test.
export default {
  rootDir: root,
  watchman: false,
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/libs/tooling/run-reporter.js'],
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/libs/*/src/**/*.test.ts',
        '<rootDir>/services/*/src/**/*.test.ts',
        '<rootDir>/deploy/local/src/**/*.test.ts',
      ],
    },
    {
      ...base,
      displayName: 'integration',
      testMatch: ['<rootDir>/libs/*/test/**/*.test.ts', '<rootDir>/services/*/test/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: [
        '<rootDir>/test-e2e/stories/**/*.test.ts',
        '<rootDir>/test-e2e/faults/**/*.test.ts',
      ],
    },
  ],
}
