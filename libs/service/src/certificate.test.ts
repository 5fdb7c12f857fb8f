import { expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { readCertificate } from './certificate.ts'

test('readCertificate: the error for a private key that is no PEM text does not contain the key', async () => {
  const key = new Secret('MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQ')
  await expect(readCertificate('-----BEGIN CERTIFICATE-----', key)).rejects.toThrow(
    /^The private key is neither a PEM text nor a readable file: ENOENT$/,
  )
})
