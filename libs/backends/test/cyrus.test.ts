import { afterAll, test } from '@jest/globals'
import { hasCyrus, testCyrus } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { imapEnvironment, testBackend } from './imap-environment.ts'

if (hasCyrus()) {
  const cyrus = await testCyrus()
  afterAll(() => cyrus.drop())
  conformanceSuite(imapEnvironment(testBackend(), cyrus))
} else test.skip('conformance: no Cyrus on this machine', () => undefined)
