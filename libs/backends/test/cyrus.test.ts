import { afterAll, test } from '@jest/globals'
import { hasCyrus, testCyrus } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { imapStage, quickBackend } from './imap-stage.ts'

if (hasCyrus()) {
  const cyrus = await testCyrus()
  afterAll(() => cyrus.drop())
  conformanceSuite(imapStage(quickBackend(), cyrus))
} else test.skip('Cyrus was not wanted', () => undefined)
