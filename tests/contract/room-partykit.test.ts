import { startPartyKit } from '../support/partykit.ts';
import { roomContract } from './room.contract.ts';

roomContract('partykit dev', startPartyKit);
