export { classify } from './classify.ts'
export { readReport } from './read-report.ts'
export type * from './report.ts'
