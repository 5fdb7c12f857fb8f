export { accountAdvice, adviceFor } from './advice.ts'
export type { Advice, AdviceKind, AdviceQuery } from './advice-row.ts'
