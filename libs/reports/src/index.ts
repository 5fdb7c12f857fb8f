export { mayBeReport } from './detect-report.ts'
export { readReport } from './read-report.ts'
export type * from './report.ts'
