export type {
  FunctionProblem,
  Functions,
  FunctionInput,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'
export { type SkipCheck, Sandbox, type SandboxOptions } from './sandbox.ts'
