export { DemoClient, type DemoPlace } from './demo-client.ts'
export { startLive } from './live-greenhouse.ts'
export { seedGreenhouse } from './seed-greenhouse.ts'
