import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CyrusProgram } from './program.ts'
import { createServerCertificate } from '../files/certificate.ts'
import { fillTemplate } from '../files/template.ts'
import { createServerDirectory, type DataDirectory, ownerNames } from '../files/data-directory.ts'

const templates = join(import.meta.dirname, '../../../cyrus')

export interface CyrusPorts {
  imap: number
  imaps: number
  lmtp: number
}

export interface CyrusSetup {
  directory: DataDirectory
  ports: CyrusPorts
  program: CyrusProgram
}

export interface CyrusFiles {
  /** File with the configuration of Cyrus's master process. */
  cyrusConf: string
  imapdConf: string
  /** Path of the Unix socket at which Cyrus has passwords checked (saslauthd). */
  saslauthdSocket: string
}

/** Writes the configuration of Cyrus and, on the first start, its certificate. */
export async function configureCyrus({
  directory,
  ports,
  program,
}: CyrusSetup): Promise<CyrusFiles> {
  const data = directory.dir
  const sockets = join(data, 'conf/socket')
  // Removes the Unix sockets that a killed Cyrus server has left.
  await rm(sockets, { recursive: true, force: true })
  for (const folder of ['conf', 'conf/socket', 'spool'])
    await createServerDirectory(join(data, folder), directory.owner)
  await createServerCertificate(data, directory.owner)
  const files = {
    cyrusConf: join(data, 'cyrus.conf'),
    imapdConf: join(data, 'imapd.conf'),
    saslauthdSocket: join(sockets, 'logins'),
  }
  await fillTemplate(join(templates, 'cyrus.conf.in'), files.cyrusConf, {
    BIN: program.bin,
    CONFIG: files.imapdConf,
    IMAP: String(ports.imap),
    IMAPS: String(ports.imaps),
    LMTP: String(ports.lmtp),
  })
  await fillTemplate(join(templates, 'imapd.conf.in'), files.imapdConf, {
    DATA: data,
    USER: (await ownerNames(directory)).user,
    LOGINS: files.saslauthdSocket,
  })
  return files
}
