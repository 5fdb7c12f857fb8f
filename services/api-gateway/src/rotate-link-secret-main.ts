import { messageOf } from '@posthorn/errors'
import { connect } from '@posthorn/db'
import { runJob } from '@posthorn/flow'
import { createSealer } from '@posthorn/secrets'
import { readConfig } from './config.ts'
import { rotateLinkSecret } from './rotate-link-secret.ts'

// Replaces the secret that signs links. Needs the environment of api-gateway:
//   node src/rotate-link-secret-main.ts
async function work(): Promise<number> {
  const { databaseUrl, sealingKey } = readConfig(process.env)
  const db = connect(databaseUrl, { name: 'api-gateway rotate', max: 1 })
  try {
    await rotateLinkSecret({ db, sealer: createSealer(sealingKey) })
  } finally {
    await db.destroy()
  }
  process.stderr.write('link secret replaced, restart api-gateway\n')
  return 0
}

await runJob({
  work,
  describeError: (error) => `replacing the link secret failed: ${messageOf(error)}`,
})
