export { classify } from './classify.ts'
export { mayBeReport, readReport } from './read-report.ts'
export type * from './report.ts'
