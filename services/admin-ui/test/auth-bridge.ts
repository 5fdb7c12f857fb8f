import { createHmac, randomBytes } from 'node:crypto'
import { type Bus, on } from '@posthorn/bus'
import { checkAdminTotp, createAdminTotp } from '@posthorn/contracts/commands/admin-totp'

/** RPC responder in place of the service auth-bridge, with a clock that the test moves. */
export class TestAuthBridge {
  /** Seeds of one-time codes by person, as bytes. */
  readonly seeds = new Map<string, Buffer>()
  /** Time step of one-time codes that the responder takes for the current step. */
  step = 50_000_000

  serve(bus: Bus) {
    const handlers = [
      on(createAdminTotp, ({ person }) => {
        const seed = randomBytes(20)
        this.seeds.set(person, seed)
        return Promise.resolve({ seed: seed.toString('hex') })
      }),
      on(checkAdminTotp, ({ person, code }) => {
        const steps = [this.step + 1, this.step, this.step - 1]
        const step = steps.find((step) => this.codeOf(person, step) === code)
        return Promise.resolve(step === undefined ? {} : { step })
      }),
    ]
    return bus.serve({ queue: 'credentials', keys: ['credentials'], handlers })
  }

  /** One-time code of a person (RFC 4226). */
  codeOf(person: string, step = this.step): string {
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(step))
    const mac = createHmac('sha1', this.seeds.get(person) ?? '')
      .update(counter)
      .digest()
    const number = mac.readUInt32BE(mac.readUInt8(19) & 0xf) & 0x7fff_ffff
    return String(number % 1_000_000).padStart(6, '0')
  }
}
