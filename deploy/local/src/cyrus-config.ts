import { rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { CyrusProgram } from './cyrus-program.ts'
import { makeCertificate } from './server-certificate.ts'
import { fillTemplate } from './template.ts'
import { dataFolder, type Place } from './unprivileged.ts'

const templates = join(import.meta.dirname, '../../cyrus')

export interface CyrusPorts {
  imap: number
  imaps: number
  lmtp: number
}

export interface CyrusSetup {
  place: Place
  ports: CyrusPorts
  program: CyrusProgram
}

export interface CyrusFiles {
  /** Of the master process. */
  cyrusConf: string
  imapdConf: string
  /** Where passwords are asked about. */
  logins: string
}

/** Writes Cyrus' configuration and, once, its certificate. */
export async function configureCyrus({ place, ports, program }: CyrusSetup): Promise<CyrusFiles> {
  const data = place.dir
  const sockets = join(data, 'conf/socket')
  await rm(sockets, { recursive: true, force: true }) // those of a run that was killed
  for (const folder of ['conf', 'conf/socket', 'spool'])
    await dataFolder(join(data, folder), place.as)
  await makeCertificate(data, place.as)
  const files = {
    cyrusConf: join(data, 'cyrus.conf'),
    imapdConf: join(data, 'imapd.conf'),
    logins: join(sockets, 'logins'),
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
    USER: place.as.uid === undefined ? userInfo().username : 'nobody',
    LOGINS: files.logins,
  })
  return files
}
