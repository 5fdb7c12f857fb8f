import { afterAll } from '@jest/globals'
import { createImapBackend } from '../src/imap/backend.ts'
import { conformanceSuite } from './conformance.ts'
import { everywhereCases } from './conformance/everywhere.ts'
import { dovecotStage } from './dovecot-stage.ts'

// As in production, only faster: quiet for a second is quiet for long.
const timings = {
  sampleMs: 100,
  quietMs: 1_000,
  probeMs: 500,
  renewMs: 1_500,
  pollMs: 300,
  keepAliveMs: 50_000,
}

const stage = await dovecotStage(createImapBackend(timings))
afterAll(() => stage.drop())

conformanceSuite(stage)
everywhereCases(stage)
