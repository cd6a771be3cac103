import { startServer } from '../support/server.ts';
import { roomContract } from './room.contract.ts';

roomContract('workerd', 10_000, () => startServer());
