import { expect, test } from '@jest/globals'
import { certificateFacts } from './listener-certificate.ts'

/** Certificate with the subject `CN=ignored` and alternative names. */
const withNames = `
-----BEGIN CERTIFICATE-----
MIIBwDCCAWWgAwIBAgIUBkD2JDo14F79aUY0WWtrGX/wo1cwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHaWdub3JlZDAeFw0yNjExMjgwNTE4MjdaFw0zNjExMjUwNTE4
MjdaMBIxEDAOBgNVBAMMB2lnbm9yZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAREPDySaJUl9+mBGkSGrdOOxMMyzCm1sTvV7UxFxkJANaXsxvwaWB2Hi9/mG3yn
wy7NY0P1ae2G4SUwDTA/LZB+o4GYMIGVMB0GA1UdDgQWBBSlRPtzIF+VwAJh6X5R
IjsGoGMvnjAfBgNVHSMEGDAWgBSlRPtzIF+VwAJh6X5RIjsGoGMvnjAPBgNVHRMB
Af8EBTADAQH/MEIGA1UdEQQ7MDmCEG1haWwuZXhhbXBsZS5jb22CDSouZXhhbXBs
ZS5vcmeHBMAAAgGHECABDbgAAAAAAAAAAAAAAAEwCgYIKoZIzj0EAwIDSQAwRgIh
ALCFt2tBz6Bktw7ptVm2x0/MuskEyVRphvMHQ+O2tJEYAiEAtPCwY33VNdaqY/xr
C20TJ7zSE76k72Ezi8G5paSuCUo=
-----END CERTIFICATE-----
`
/** Certificate with the subject `O=Example, CN=mail.example.net` and no alternative names. */
const withSubject = `
-----BEGIN CERTIFICATE-----
MIIBrzCCAVWgAwIBAgIUNw4B8yeAtoaA0e0u0Q/cBRrRAI0wCgYIKoZIzj0EAwIw
LTEQMA4GA1UECgwHRXhhbXBsZTEZMBcGA1UEAwwQbWFpbC5leGFtcGxlLm5ldDAe
Fw0yNjExMjgwNTE4MjdaFw0zNjExMjUwNTE4MjdaMC0xEDAOBgNVBAoMB0V4YW1w
bGUxGTAXBgNVBAMMEG1haWwuZXhhbXBsZS5uZXQwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATMJaEsyZ7jnw/4c7Ra9+857XfHgZi+ugZigWDNSOdeH7Jjepk5jAD8
qTAAb2HlWJM5HH5rSoLNdyWg4dzLndS4o1MwUTAdBgNVHQ4EFgQUzPy+7i9Nw1gs
pNaxx4/u3/sw6cIwHwYDVR0jBBgwFoAUzPy+7i9Nw1gspNaxx4/u3/sw6cIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBRfOWbvOwiJbfsr70Hzs25
GIpS13LXgaKc5jpbfwMb1wIhAOihLvkIPrIXxLY3XCn3UEt/3zQGDZzdSp/gJKq5
3xHd
-----END CERTIFICATE-----
`

test('certificateFacts: names and addresses of the first certificate, and its expiry', () => {
  expect(certificateFacts(withNames + withSubject)).toEqual({
    names: ['mail.example.com', '*.example.org', '192.0.2.1', '2001:DB8:0:0:0:0:0:1'],
    expiresAt: new Date('2036-11-25T05:18:27.000Z'),
  })
})

test('certificateFacts: without alternative names, the common name', () => {
  expect(certificateFacts(withSubject + withNames)).toEqual({
    names: ['mail.example.net'],
    expiresAt: new Date('2036-11-25T05:18:27.000Z'),
  })
})
