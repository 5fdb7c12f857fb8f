import { afterAll } from '@jest/globals'
import { testDovecot } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { notifyCases } from './conformance/notify.ts'
import { imapEnvironment, testBackend } from './imap-environment.ts'

const dovecot = await testDovecot()
afterAll(() => dovecot.drop())

const environment = imapEnvironment(testBackend(), dovecot)
conformanceSuite(environment)
notifyCases(environment)
