import { rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { CyrusProgram } from './program.ts'
import { createServerCertificate } from '../files/certificate.ts'
import { fillTemplate } from '../files/template.ts'
import { createServerDirectory, type DataDirectory } from '../files/data-directory.ts'

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
  /** Of the master process. */
  cyrusConf: string
  imapdConf: string
  /** Where passwords are asked about. */
  saslauthdSocket: string
}

/** Writes Cyrus' configuration and, once, its certificate. */
export async function configureCyrus({
  directory,
  ports,
  program,
}: CyrusSetup): Promise<CyrusFiles> {
  const data = directory.dir
  const sockets = join(data, 'conf/socket')
  await rm(sockets, { recursive: true, force: true }) // those of a run that was killed
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
    USER: directory.owner.uid === undefined ? userInfo().username : 'nobody',
    LOGINS: files.saslauthdSocket,
  })
  return files
}
