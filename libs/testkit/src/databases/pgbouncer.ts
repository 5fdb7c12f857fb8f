import { startPgbouncer } from '@posthorn/local'
import { sharedServer } from '../private-server.ts'
import { usePostgres } from './postgres.ts'

export interface TestPgbouncer {
  /** Host and port of pgbouncer. */
  address: string
  /** Converts a database URL of `testDatabase` to a URL that connects through pgbouncer. */
  through: (databaseUrl: string) => string
  drop: () => Promise<void>
}

const useServer = sharedServer<string>(
  'pgbouncer',
  () => process.env['TEST_PGBOUNCER'] || undefined,
  async (directories) => {
    const postgres = await usePostgres()
    const server = await startPgbouncer({ ...directories, ownerUrl: postgres.address })
    const destroy = async () => {
      await server.destroy()
      await postgres.drop()
    }
    return { address: server.address, destroy }
  },
)

/**
 * Returns pgbouncer in transaction mode in front of the Postgres of the tests. Uses the pgbouncer
 * of TEST_PGBOUNCER, or starts a pgbouncer for this process.
 */
export async function testPgbouncer(): Promise<TestPgbouncer> {
  const { address, drop } = await useServer()
  const through = (url: string) => Object.assign(new URL(url), { host: address }).href
  return { address, through, drop }
}
