export { eventually, type Patience } from './eventually.ts'
export { testDovecot, type TestDovecot, type TestUser } from './servers/dovecot.ts'
export { type Role, roles, testDatabase, type TestDatabase } from './servers/postgres.ts'
export { testBus, type TestBus } from './servers/rabbitmq.ts'
