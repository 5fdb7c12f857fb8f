export type { FunctionProblem, Functions, Input, Outcome, Verdict } from './jobs.ts'
export { type Refuse, Sandbox, type SandboxOptions } from './sandbox.ts'
