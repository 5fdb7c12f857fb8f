import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchDebianPackages } from '../files/debian-packages.ts'

export interface RabbitProgram {
  /** Directory of the program `rabbitmq-server`, which starts RabbitMQ. */
  sbin: string
  /** Directory of Erlang's programs `erl` and `epmd`. Absent if the programs are on the PATH. */
  erlang?: string
}

const libraries =
  'libc6|libstdc\\+\\+6|libgcc-s1|libtinfo6|zlib1g|libsystemd0|libzstd1|libcap2|libsctp1|libssl3t64|libssl3'

/**
 * Returns the installed RabbitMQ. Without an installed RabbitMQ, returns RabbitMQ 4 from Debian
 * packages, downloaded into the directory `cache` (10 s, 95 MB).
 * @throws Error that lists the alternatives if neither is available.
 */
export async function findRabbit(cache: string): Promise<RabbitProgram> {
  const installed = await sbinBelow('/usr/lib/rabbitmq')
  if (installed) return { sbin: installed }
  try {
    const root = await fetchDebianPackages({
      dir: join(cache, 'rabbitmq'),
      suite: 'trixie',
      packages: ['rabbitmq-server'],
      dependencies: new RegExp(`^(erlang-.*|${libraries})$`),
    })
    const sbin = await sbinBelow(join(root, 'usr/lib/rabbitmq'))
    if (!sbin) throw new Error(`the packages in ${root} contain no rabbitmq-server`)
    return { sbin, erlang: await erlangBelow(root) }
  } catch (cause) {
    throw new Error(
      'RabbitMQ not available: set AMQP_URL to a running server, install rabbitmq-server, or allow a download (needs apt-get and a Debian mirror)',
      { cause },
    )
  }
}

async function sbinBelow(folder: string): Promise<string | undefined> {
  for await (const server of glob('lib/rabbitmq_server-*/sbin', { cwd: folder }))
    return join(folder, server)
  return undefined
}

async function erlangBelow(root: string): Promise<string> {
  for await (const bin of glob('usr/lib/erlang/erts-*/bin', { cwd: root })) return join(root, bin)
  throw new Error(`the packages in ${root} contain no Erlang`)
}
