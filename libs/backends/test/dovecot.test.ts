import { afterAll } from '@jest/globals'
import { testDovecot } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { everywhereCases } from './conformance/notify.ts'
import { imapStage, quickBackend } from './imap-stage.ts'

const dovecot = await testDovecot()
afterAll(() => dovecot.drop())

const stage = imapStage(quickBackend(), dovecot)
conformanceSuite(stage)
everywhereCases(stage)
