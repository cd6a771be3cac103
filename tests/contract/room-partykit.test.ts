import { startPartyKit } from '../support/partykit.ts';
import { roomContract } from './room.contract.ts';

// The development runner opens a socket five times more slowly.
roomContract('partykit dev', 1000, startPartyKit);
