import { countRealWork } from './real-work.ts';

// Virtual time passes only when nothing is left to hash, seal or pack.
countRealWork();
