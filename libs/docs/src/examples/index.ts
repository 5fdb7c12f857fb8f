export { findDifference } from './compare-output.ts'
export {
  type Example,
  type ExamplePage,
  type ExpectedOutput,
  readExamples,
  type RunnableLanguage,
} from './read-examples.ts'
