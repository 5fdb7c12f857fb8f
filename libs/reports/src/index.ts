export { mayBeReport, readReport } from './read-report.ts'
export type * from './report.ts'
