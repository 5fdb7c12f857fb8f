import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchDebianPackages } from '../files/debian-packages.ts'

export interface RabbitProgram {
  /** Folder of `rabbitmq-server`. */
  sbin: string
  /** Folder of `erl` and `epmd`; undefined means: on the PATH. */
  erlang?: string
}

const libraries =
  'libc6|libstdc\\+\\+6|libgcc-s1|libtinfo6|zlib1g|libsystemd0|libzstd1|libcap2|libsctp1|libssl3t64|libssl3'

/**
 * RabbitMQ as installed on this machine, else RabbitMQ 4 from Debian's packages, fetched into `cache` (10 s, 95 MB).
 *
 * @throws Error telling the ways there are when neither can be had.
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
    if (!sbin) throw new Error(`the packages in ${root} hold no rabbitmq-server`)
    return { sbin, erlang: await erlangBelow(root) }
  } catch (cause) {
    throw new Error(
      'no RabbitMQ: set AMQP_URL to one of yours, or install rabbitmq-server, or let it be fetched from a Debian mirror (needs apt-get and the network)',
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
  throw new Error(`the packages in ${root} hold no Erlang`)
}
