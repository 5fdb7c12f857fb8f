import { run } from '@posthorn/service'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { keepYoungGenerationSmall } from './young-generation.ts'

keepYoungGenerationSmall()
await run((signal) => startApp(readConfig(process.env), signal))
