export type { JobSpec } from './program/command.ts'
export { runCli, type RunOptions } from './run-cli.ts'
