import { startWorld } from '../world.ts'
import { benchExports } from './exports.ts'
import { print } from './report.ts'
const world = await startWorld({ servers: 'own', durable: true })
try { for (const row of await benchExports(world)) print(row) } finally { await world[Symbol.asyncDispose]() }
