import { afterAll, test } from '@jest/globals'
import { isSwitchedOff, testCyrus } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { imapEnvironment, testBackend } from './imap-environment.ts'

if (isSwitchedOff('TEST_CYRUS')) test.skip('conformance: Cyrus is switched off', () => undefined)
else {
  const cyrus = await testCyrus()
  afterAll(() => cyrus.drop())
  conformanceSuite(imapEnvironment(testBackend(), cyrus))
}
