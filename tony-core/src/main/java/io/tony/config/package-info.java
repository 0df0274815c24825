/**
 * Floor 1: what a user can set. Every option is declared once, with type, unit, default, meaning
 * and secrecy; the documentation, the checks and the suggestions are made from that declaration.
 */
package io.tony.config;
